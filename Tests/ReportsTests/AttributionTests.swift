import Gazetteer
import Geocode
import Reports
import Telemetry
import Testing
import TripStore

@Suite("Attribution") struct AttributionTests {
    private func line(_ provider: String, _ level: AddressLevel) -> String? {
        Attribution.line(
            for: Address(
                level: level,
                line: "",
                language: "en",
                provider: provider,
                resolvedTime: Timestamp(milliseconds: 0)
            )
        )
    }

    @Test("Reports name for each provider what its own terms ask for")
    func providers() {
        for provider in ProviderCatalog.providers {
            #expect(line(provider.name, .house) == provider.terms.attribution, "\(provider.name)")
        }
        #expect(line("corrected", .house) == nil)
    }

    @Test("Towns are owed to whom their index says, houses to OpenStreetMap")
    func offline() throws {
        #expect(line(OfflineStep.providerName, .place) == (try GazetteerFiles.openTowns().attribution))
        #expect(line(OfflineStep.providerName, .house)?.contains("OpenStreetMap") == true)
    }
}
