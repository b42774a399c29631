// The nouns of other rooms that the surface shows.
@_exported public import struct HistoryTypes.Attribute
@_exported public import enum HistoryTypes.AttributeType
@_exported public import enum HistoryTypes.ChangeType
@_exported public import struct HistoryTypes.Entity
@_exported public import struct HistoryTypes.Model
@_exported public import enum HistoryTypes.Value
@_exported public import class PropertyTesting.SeededExecutor
@_exported public import protocol Systems.HistoryLog
@_exported public import struct Systems.LoggedTransaction
@_exported public import typealias Traces.ActorID
@_exported public import struct Traces.CommittedChange
@_exported public import struct Traces.CommittedTransaction
@_exported public import struct Traces.ObjectName
@_exported public import typealias Traces.Objects
@_exported public import struct Traces.PlannedChange
@_exported public import typealias Traces.TransactionName
@_exported public import typealias Traces.Values
