package import Foundation
import SQLiteStorage

/// A folder for one test, removed with it.
package final class InspectionFolder {
  package let path: String

  package init() throws {
    path = NSTemporaryDirectory() + "inspection-" + UUID().uuidString
    try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true)
  }

  deinit {
    do {
      try FileManager.default.removeItem(atPath: path)
    } catch {
      print("left behind: \(path): \(error)")
    }
  }

  package func file(_ name: String) -> String { path + "/" + name }

  /// Writes bytes into a file of the folder.
  package func write(_ bytes: Data, to name: String) throws -> String {
    try bytes.write(to: URL(fileURLWithPath: file(name)))
    return file(name)
  }

  /// The names in the folder with their bytes.
  package func contents() throws -> [String: Data] {
    var contents: [String: Data] = [:]
    for name in try FileManager.default.contentsOfDirectory(atPath: path) {
      contents[name] = try Data(contentsOf: URL(fileURLWithPath: file(name)))
    }
    return contents
  }
}

/// A file with the tables and indexes of Core Data, made by SQL.
package enum CoreDataFixture {
  package static let schema = """
    CREATE TABLE ATRANSACTION(Z_PK INTEGER PRIMARY KEY, Z_ENT INTEGER, Z_OPT INTEGER,
      ZAUTHORTS INTEGER, ZBUNDLEIDTS INTEGER, ZCONTEXTNAMETS INTEGER, ZPROCESSIDTS INTEGER,
      ZTIMESTAMP FLOAT, ZAUTHOR VARCHAR, ZBUNDLEID VARCHAR, ZCONTEXTNAME VARCHAR,
      ZPROCESSID VARCHAR, ZQUERYGEN BLOB);
    CREATE TABLE ATRANSACTIONSTRING(Z_PK INTEGER PRIMARY KEY, Z_ENT INTEGER, Z_OPT INTEGER,
      ZNAME VARCHAR);
    CREATE TABLE ACHANGE(Z_PK INTEGER PRIMARY KEY, Z_ENT INTEGER, Z_OPT INTEGER,
      ZCHANGETYPE INTEGER, ZENTITY INTEGER, ZENTITYPK INTEGER, ZTRANSACTIONID INTEGER,
      ZCOLUMNS BLOB, ZTOMBSTONE0 BLOB);
    CREATE TABLE Z_PRIMARYKEY(Z_ENT INTEGER PRIMARY KEY, Z_NAME VARCHAR, Z_SUPER INTEGER,
      Z_MAX INTEGER);
    CREATE UNIQUE INDEX Z_TRANSACTIONSTRING_UNIQUE_NAME ON ATRANSACTIONSTRING(ZNAME);
    CREATE INDEX ACHANGE_ZTRANSACTIONID_INDEX ON ACHANGE(ZTRANSACTIONID);
    CREATE INDEX ATRANSACTION_ZAUTHORTS_INDEX ON ATRANSACTION(ZAUTHORTS);
    CREATE INDEX ATRANSACTION_ZBUNDLEIDTS_INDEX ON ATRANSACTION(ZBUNDLEIDTS);
    CREATE INDEX ATRANSACTION_ZCONTEXTNAMETS_INDEX ON ATRANSACTION(ZCONTEXTNAMETS);
    CREATE INDEX ATRANSACTION_ZPROCESSIDTS_INDEX ON ATRANSACTION(ZPROCESSIDTS);
    CREATE INDEX Z_TRANSACTION_TransactionAuthorIndex ON ATRANSACTION(ZAUTHOR);
    CREATE INDEX Z_TRANSACTION_TransactionTimestampIndex ON ATRANSACTION(ZTIMESTAMP);
    """

  /// Five transactions: three authors of every kind, a tie, a step back, one without changes.
  ///
  /// The changes are in a different order than their transactions.
  package static let rows = """
    INSERT INTO Z_PRIMARYKEY VALUES(1,'Note',0,2),(2,'Folder',0,1),(16001,'CHANGE',0,6),
      (16002,'TRANSACTION',0,5),(16003,'TRANSACTIONSTRING',0,9);
    INSERT INTO ATRANSACTIONSTRING VALUES(1,16003,1,'app'),(2,16003,1,'widget'),
      (9,16003,1,'com.example.notes');
    INSERT INTO ATRANSACTION(Z_PK,Z_ENT,ZAUTHORTS,ZBUNDLEIDTS,ZTIMESTAMP,ZAUTHOR) VALUES
      (1,16002,1,9,1000.0,NULL),(2,16002,2,9,1000.001,NULL),(3,16002,NULL,9,1000.001,NULL),
      (4,16002,NULL,9,1060.001,'app'),(5,16002,1,9,1059.0,NULL);
    INSERT INTO ACHANGE(Z_ENT,ZCHANGETYPE,ZENTITY,ZENTITYPK,ZTRANSACTIONID,ZCOLUMNS) VALUES
      (16001,1,1,1,5,x'80'),(16001,0,1,1,1,NULL),(16001,0,1,2,1,NULL),(16001,0,2,1,1,NULL),
      (16001,2,1,2,4,NULL),(16001,1,1,1,2,x'c0');
    """

  /// Inconsistencies: a change without a transaction and of an unknown type, an author without a
  /// string, an entity without a name, an invalid timestamp.
  package static let oddRows = """
    INSERT INTO ATRANSACTION(Z_PK,Z_ENT,ZAUTHORTS,ZTIMESTAMP) VALUES(8,16002,99,NULL);
    INSERT INTO ACHANGE(Z_ENT,ZCHANGETYPE,ZENTITY,ZENTITYPK,ZTRANSACTIONID) VALUES
      (16001,3,7,1,77),(16001,1,1,1,NULL),(16001,1,1,1,6);
    """

  /// Objects with many-to-many relationships, in the tables that Core Data makes for them.
  ///
  /// The tags of a note are ordered, and tags are related to one another. A change of a relationship is an
  /// update of the objects at its ends, whose bitmap has a bit for the relationship. The properties of a
  /// note are `tags` and `title`, those of a tag `name`, `notes` and `related`, in the order of the bits.
  /// A delete preserves the name of a tag.
  package static let joinedRows = """
    CREATE TABLE Z_METADATA(Z_VERSION INTEGER PRIMARY KEY, Z_UUID VARCHAR(255), Z_PLIST BLOB);
    CREATE TABLE Z_MODELCACHE(Z_CONTENT BLOB);
    CREATE TABLE ZNOTE(Z_PK INTEGER PRIMARY KEY, Z_ENT INTEGER, Z_OPT INTEGER, ZTITLE VARCHAR);
    CREATE TABLE ZTAG(Z_PK INTEGER PRIMARY KEY, Z_ENT INTEGER, Z_OPT INTEGER, ZNAME VARCHAR);
    CREATE TABLE Z_1TAGS(Z_1NOTES INTEGER, Z_2TAGS INTEGER, Z_FOK_2TAGS INTEGER,
      PRIMARY KEY (Z_1NOTES, Z_2TAGS));
    CREATE INDEX Z_1TAGS_Z_2TAGS_INDEX ON Z_1TAGS(Z_2TAGS, Z_1NOTES);
    CREATE TABLE Z_2RELATED(Z_2RELATED INTEGER, REFLEXIVE INTEGER,
      PRIMARY KEY (Z_2RELATED, REFLEXIVE));
    CREATE INDEX Z_2RELATED_REFLEXIVE_INDEX ON Z_2RELATED(REFLEXIVE, Z_2RELATED);
    INSERT INTO Z_METADATA VALUES(1,'0A52C1B4-6D0E-4C0B-8C53-9B7E6B1F2D11',x'');
    INSERT INTO Z_PRIMARYKEY VALUES(1,'Note',0,2),(2,'Tag',0,3),(16001,'CHANGE',0,15),
      (16002,'TRANSACTION',0,5),(16003,'TRANSACTIONSTRING',0,2);
    INSERT INTO ZNOTE VALUES(1,1,4,'milk'),(2,1,1,'bread');
    INSERT INTO ZTAG VALUES(1,2,3,'home'),(3,2,3,'shop');
    INSERT INTO Z_1TAGS VALUES(1,3,1024),(1,1,2048);
    INSERT INTO ATRANSACTIONSTRING VALUES(1,16003,1,'app'),(2,16003,1,'widget');
    INSERT INTO ATRANSACTION(Z_PK,Z_ENT,ZAUTHORTS,ZTIMESTAMP) VALUES(1,16002,1,1000.0),
      (2,16002,1,1001.0),(3,16002,2,1002.0),(4,16002,NULL,1003.0),(5,16002,1,1004.0);
    INSERT INTO ACHANGE(Z_ENT,ZCHANGETYPE,ZENTITY,ZENTITYPK,ZTRANSACTIONID,ZCOLUMNS,ZTOMBSTONE0)
      VALUES (16001,0,1,1,1,NULL,NULL),(16001,0,1,2,1,NULL,NULL),(16001,0,2,1,1,NULL,NULL),
      (16001,0,2,2,1,NULL,NULL),(16001,0,2,3,1,NULL,NULL),
      (16001,1,1,1,2,x'80',NULL),(16001,1,2,1,2,x'40',NULL),(16001,1,2,2,2,x'40',NULL),
      (16001,1,2,3,2,x'40',NULL),(16001,1,1,1,3,x'c0',NULL),(16001,1,2,2,4,x'20',NULL),
      (16001,1,2,3,4,x'a0',NULL),(16001,2,2,2,5,NULL,'urgent'),(16001,1,1,1,5,x'80',NULL),
      (16001,1,2,3,5,x'20',NULL);
    """

  /// Creates the file.
  package static func make(at path: String, _ sql: String = schema + rows) throws {
    try Connection(path: path).execute(sql)
  }
}
