// This module is the only import that an app needs: the store, the contexts, the tracker and their
// value types.
@_exported public import HistoryStore
@_exported public import HistoryTracking
@_exported public import HistoryTypes
@_exported public import ObjectContexts
