import HistoryTypes
import Testing

@testable import Traces

/// An invalid text and its error message.
struct Refusal: Sendable, CustomTestStringConvertible {
  let text: String
  let sentence: String
  var testDescription: String { sentence }

  init(_ text: String, _ sentence: String) {
    self.text = text
    self.sentence = sentence
  }
}

@Suite struct FormatErrorTests {
  static let header =
    #"{"actors":[{"id":"app"},{"id":"widget"}],"model":[{"attributes":[{"name":"title","type":"string"},{"name":"count","type":"int"}],"entity":"Item"}],"plan":1}"#

  /// A header with one changed key.
  static func header(_ key: String, _ value: String) -> String {
    var members = (try? JSONValue(message: header))?.members ?? [:]
    members[key] = try? JSONValue(message: value)
    return JSONValue.object(members).line
  }

  /// A batch request with one condition.
  static func batch(_ condition: String) -> String {
    #"{"actor":"app","do":"batch","entity":"Item","op":"delete","where":["# + condition + "]}"
  }

  static let noCondition =
    #"Write [attribute, comparison, value], compared with =, !=, <, <=, > or >=; [attribute, "in", [values]], [attribute, "between", [low, high]], [attribute, "like", pattern]; or {"all"|"any": [conditions]}, {"not": condition}."#

  static let plans: [Refusal] = [
    Refusal("", #"line 1: the file is empty. Begin it with {"plan":1,...}."#),
    Refusal(
      "# Read me\n",
      "line 1: this is not JSON: # Read me. Write one JSON object a line."
    ),
    Refusal(
      #"{"trace":1}"#,
      #"line 1: this is not the header of a plan. Begin the file with {"plan":1,...}."#
    ),
    Refusal("[1]\n", #"line 1: the header is not an object. Write {"key":value,...}."#),
    Refusal(
      header("plan", "2"),
      "line 1: the plan is of version 2, and this lab reads version 1. Use a newer history-lab."
    ),
    Refusal(
      header("plan", "0"),
      #"line 1: the plan is of version 0, and this lab reads version 1. Write {"plan":1,...}."#
    ),
    Refusal(
      header("sede", "\"0x1\""),
      #"line 1: the header has the unknown key "sede". Did you mean "seed"?"#
    ),
    Refusal(
      header("seed", "\"12\""),
      #"line 1: "seed" of the header is "12". Make it a string such as "0x2a"."#
    ),
    Refusal(
      header("drive", "\"comands\""),
      #"line 1: "drive" of the header cannot be "comands". Did you mean "commands"?"#
    ),
    Refusal(
      header("actors", #"[{"id":"app"},{"id":"app"}]"#),
      #"line 1: two actors or consumers are named "app". Give each a name of its own."#
    ),
    Refusal(
      header("actors", #"[{"id":""}]"#),
      #"line 1: actor 1 of the header has an empty name. Give it a name, such as "app"."#
    ),
    Refusal(
      header("actors", #"[{"id":"app","cursors":"shard"}]"#),
      #"line 1: "cursors" of actor 1 of the header is "shard". Make it "shared" or "own"."#
    ),
    Refusal(
      header("actors", "null"),
      #"line 1: the header lacks the key "actors". Add it with a list of objects."#
    ),
    Refusal(
      header("model", #"[{"entity":"1"}]"#),
      #"line 1: the model is invalid. "1" cannot name an entity or attribute: use a letter, then letters, digits or underscores (at most 100 characters), and no prefix history_ or sqlite_."#
    ),
    Refusal(
      header("model", #"[{"entity":"A","attributes":[{"name":"a","type":"strnig"}]}]"#),
      #"line 1: "type" of attribute 1 of entity 1 of the header cannot be "strnig". Did you mean "string"?"#
    ),
    Refusal(
      header("retention", #"{"transactions":-1}"#),
      #"line 1: "transactions" of the retention is -1. Make it a whole number, 0 or more."#
    ),
  ]

  /// Errors in the second line of a plan.
  static let commands: [Refusal] = [
    Refusal(
      #"{"actor":"app","do":"wirte"}"#,
      #"line 2: "do" of a command cannot be "wirte". Did you mean "write"?"#
    ),
    Refusal(
      #"{"actor":"app"}"#,
      #"line 2: a command lacks the key "do". Add it with a string."#
    ),
    Refusal(
      #"{"actor":"app","chagnes":[],"do":"write"}"#,
      #"line 2: the command "write" has the unknown key "chagnes". Did you mean "changes"?"#
    ),
    Refusal(
      #"{"actor":"app","do":"pass","id":7}"#,
      #"line 2: the command "pass" has the unknown key "id". Use one of "actor", "do", "faults"."#
    ),
    Refusal(
      #"{"do":"data","zzzzzz":7}"#,
      #"line 2: the command "data" has the unknown key "zzzzzz". Use one of "do", "faults"."#
    ),
    Refusal(
      #"{"actor":"wigdet","do":"pass"}"#,
      #"line 2: the header declares no actor or consumer "wigdet". Did you mean "widget"?"#
    ),
    Refusal(
      #"{"actor":"app","changes":[{"object":"Itme/3","op":"insert"}],"do":"write"}"#,
      #"line 2: the model has no entity "Itme". Did you mean "Item"?"#
    ),
    Refusal(
      #"{"actor":"app","changes":[{"object":"Item/03","op":"insert"}],"do":"write"}"#,
      #"line 2: change 1 of the command "write" has "Item/03", which is not the name of an object. Write an entity and a whole number, such as "Item/3"."#
    ),
    Refusal(
      #"{"actor":"app","changes":[{"object":"Item/3","op":"upsert"}],"do":"write"}"#,
      #"line 2: "op" of change 1 of the command "write" cannot be "upsert". Did you mean "insert"?"#
    ),
    Refusal(
      #"{"actor":"app","changes":[{"object":"Item/3","op":"insert","values":{"titel":"a"}}],"do":"write"}"#,
      #"line 2: the entity "Item" has no attribute "titel". Did you mean "title"?"#
    ),
    Refusal(
      #"{"actor":"app","changes":[{"object":"Item/3","op":"insert","values":{"count":9007199254740994}}],"do":"write"}"#,
      #"line 2: 9.007199254740994e+15 is not a value for "Item.count", which is of type int. An int is a whole number up to 2^53, beyond that a decimal string."#
    ),
    Refusal(
      #"{"actor":"app","changes":[],"do":"write","tick":2}"#,
      #"line 2: "tick" of the command "write" is 2. Make it 0 or 1."#
    ),
    Refusal(
      #"{"actor":"app","do":"batch","entity":"Item","op":"insert"}"#,
      #"line 2: the command "batch" cannot insert objects. Use the command "write" in the context that is named "batch"."#
    ),
    Refusal(
      #"{"actor":"app","do":"batch","entity":"Item","op":"delete","where":[["count","~",1]]}"#,
      #"line 2: ["count","~",1] is not a condition. "# + noCondition
    ),
    Refusal(
      batch(#"["count","in",3]"#),
      #"line 2: ["count","in",3] is not a condition. "# + noCondition
    ),
    Refusal(
      batch(#"["count","between",[1]]"#),
      #"line 2: ["count","between",[1]] is not a condition. "# + noCondition
    ),
    Refusal(
      batch(#"["title","like",3]"#),
      #"line 2: ["title","like",3] is not a condition. "# + noCondition
    ),
    Refusal(
      batch(#"["count","like","a"]"#),
      #"line 2: "Item.count" is of type int, and "like" compares only strings. "#
        + "Use a string attribute, or another comparison."
    ),
    Refusal(
      batch(#"["count","in",["x"]]"#),
      #"line 2: "x" is not a value for "Item.count", which is of type int. An int is a whole number up to 2^53, beyond that a decimal string."#
    ),
    Refusal(
      batch(#"["cuont","in",[]]"#),
      #"line 2: the entity "Item" has no attribute "cuont". Did you mean "count"?"#
    ),
    Refusal(
      batch(#"{"all":[],"any":[]}"#),
      #"line 2: {"all":[],"any":[]} is not a condition. "# + noCondition
    ),
    Refusal(
      batch(#"{"nor":[]}"#),
      #"line 2: {"nor":[]} is not a condition. "# + noCondition
    ),
    Refusal(
      batch(#"{"any":["count"]}"#),
      #"line 2: "count" is not a condition. "# + noCondition
    ),
    Refusal(
      batch(
        String(repeating: #"{"not":"#, count: 15) + #"["count","=",1]"#
          + String(repeating: "}", count: 15)
      ),
      "line 2: conditions are nested more than 15 deep. Reduce the nesting."
    ),
    Refusal(
      #"{"advance":"soon","do":"clock"}"#,
      #"line 2: "advance" of the command "clock" is "soon". Make it a number."#
    ),
    Refusal(
      #"{"do":"data","faults":[{"kind":"full","file":"wall","call":"write","k":1}]}"#,
      #"line 2: "file" of fault 1 of the command "data" cannot be "wall". Did you mean "wal"?"#
    ),
    Refusal(
      #"{"do":"data","faults":[{"kind":"powerof","file":"wal","call":"write","k":1}]}"#,
      #"line 2: "kind" of fault 1 of the command "data" cannot be "powerof". Did you mean "powerOff"?"#
    ),
    Refusal(
      #"{"do":"data","faults":[{"kind":"full","file":"wal","call":"sync","k":1}]}"#,
      #"line 2: fault 1 of the command "data" is of the kind "full", which cannot occur at the call "sync". "#
        + #"Write the call "write"."#
    ),
    Refusal(
      #"{"do":"data","faults":[{"kind":"torn","file":"wal","call":"allocate","k":1}]}"#,
      #"line 2: fault 1 of the command "data" is of the kind "torn", which cannot occur at the call "allocate". "#
        + #"Write one of the calls "read", "write", "sync", "truncate", "lock"."#
    ),
    Refusal(
      #"{"do":"data","faults":[{"kind":"torn","file":"wal","call":"write","k":0}]}"#,
      #"line 2: "k" of fault 1 of the command "data" is 0. Make it a whole number, 1 or more."#
    ),
    Refusal(
      #"{"do":"data","faults":[{"kind":"torn","file":"wal","call":"write","k":1,"at":3}]}"#,
      #"line 2: fault 1 of the command "data" has the unknown key "at". Use one of "call", "file", "from", "k", "kind", "seed"."#
    ),
    Refusal(
      #"{"at":0,"event":"woke","tick":0}"#,
      "line 2: an event is not part of a plan file. Remove this line and all lines after it: only a counterexample file may contain them."
    ),
    Refusal(
      #"{"actor":"app","do":"pa"#,
      "line 2: the file ends in the middle of this line. The file is incomplete: copy it again, or remove this line if the lines before it suffice."
    ),
  ]

  @Test(arguments: plans)
  func `A wrong header is refused with a message`(refusal: Refusal) {
    let error = #expect(throws: FormatError.self) { try PlanCodec.decode(refusal.text) }
    #expect(error?.description == refusal.sentence)
  }

  @Test(arguments: commands)
  func `A wrong command is refused with a message`(refusal: Refusal) {
    let error = #expect(throws: FormatError.self) {
      try PlanCodec.decode(Self.header + "\n" + refusal.text)
    }
    #expect(error?.description == refusal.sentence)
  }

  @Test func `A last line without its newline and empty lines are read`() throws {
    let plan = try PlanCodec.decode(Self.header + "\r\n\n" + #"{"do":"data"}"#)
    #expect(plan.commands == [Command(.data)])
    let error = #expect(throws: FormatError.self) {
      try PlanCodec.decode(Self.header + "\n\n\n{\n")
    }
    #expect(error?.line == 4)
  }

  @Test func `Errors on the wire have no line number`() throws {
    let header = try PlanCodec.decode(Self.header).header
    let error = #expect(throws: WireRefusal.self) {
      try WireCodec.request(#"{"do":"pass","actor":"ap","id":3}"#, for: header)
    }
    #expect(error?.id == 3)
    #expect(
      error?.failure.message
        == #"the header declares no actor or consumer "ap". Did you mean "app"?"#
    )
    #expect(throws: WireRefusal.self) { try WireCodec.request("  \n", for: header) }
  }
}
