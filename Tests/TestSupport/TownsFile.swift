import Foundation

/// The index of the world's towns that belongs to the package.
package enum TownsFile {
    /// Its path; tests run from a program that does not lie in the source tree.
    package static let path: String = SharedData.packageFolder.appending(path: "data/towns.gazetteer").path
}
