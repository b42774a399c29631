import Foundation
import PersistentHistory

// Runs the code of every guide in the current folder, which should be empty.

let folder = FileManager.default.currentDirectoryPath
// A tracker that was stopped may hold its store for a moment longer, which a migration does not permit. So
// the changes of the model come first, on a store without one.
_ = try openStore(in: folder)
try ChangingTheModel.open()
try ChangingTheModel.migrate()
try Store.destroy(path: "shared.store")
try WritingWithPlainSQL.open()
try Store.destroy(path: "shared.store")
try await readme()
let store = try openStore(in: folder)
try SuspendingAProcess.switchApps(store)
try await SharingAStoreWithAWidget.app(in: folder)
let items = try await SharingAStoreWithAWidget.widget(in: folder)
print(try items.map { "\(try $0["title"] ?? .null) \(try $0["count"] ?? .null)" })
try SharingAStoreWithAWidget.forgetTheAbsent(store)
try await ChoosingAPurgePolicy.send(store)
try ChoosingAPurgePolicy.purge(store)
try ChoosingAPurgePolicy.look(store)
print(ChoosingAPurgePolicy.daily().strategy, ChoosingAPurgePolicy.limited().retention ?? .init())
try ModulePages.objectContexts(store)
try ModulePages.orderedLists()
try await ListsThatStayCurrent.showLists(store)
try await ModulePages.historyStore(ModulePages.historyTypes())
let container = try StoreContainer([StoreDescription(path: "kit.store", model: store.model)])
try await MigratingFromTheKit.track(container, UserDefaults())
try await ModulePages.historyTracking("modules.store", store.model)
