// The nouns of other rooms that the surface shows.
@_exported public import struct PersistentHistory.Attribute
@_exported public import enum PersistentHistory.AttributeType
@_exported public import enum PersistentHistory.ChangeType
@_exported public import struct PersistentHistory.Entity
@_exported public import struct PersistentHistory.Model
@_exported public import enum PersistentHistory.Value
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
