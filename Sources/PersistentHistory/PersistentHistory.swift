// One import for an app: the store, the contexts, the tracker, and the values that they share.
@_exported public import HistoryStore
@_exported public import HistoryTracking
@_exported public import HistoryTypes
@_exported public import ObjectContexts
