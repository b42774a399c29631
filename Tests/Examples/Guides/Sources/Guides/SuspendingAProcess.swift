import PersistentHistory

/// Stands in for UIKit's class, which only Apple's mobile systems have.
final class UIScene {}

/// The code of the page "Suspending a process".
struct SuspendingAProcess {
  let tracker: HistoryTracker

  func sceneDidEnterBackground(_ scene: UIScene) {
    do { try tracker.suspend(within: .seconds(2)) } catch { report(error) }
  }

  func sceneWillEnterForeground(_ scene: UIScene) {
    do { try tracker.resume() } catch { report(error) }
  }

  /// Stands in for the app's own handling of errors.
  func report(_ error: HistoryError) { fatalError("\(error)") }

  /// Leaves the foreground and returns to it, and checks that the store followed.
  static func switchApps(_ store: Store) throws {
    let app = SuspendingAProcess(tracker: HistoryTracker("app", store: store, contexts: []))
    app.sceneDidEnterBackground(UIScene())
    precondition(store.isSuspended)
    app.sceneWillEnterForeground(UIScene())
    precondition(!store.isSuspended)
    _ = try store.currentToken()
  }
}
