import Telemetry
import Testing

@testable import Gazetteer

@Suite("One line in the country's order")
struct AddressLineTests {
    @Test(
        "House, street, postcode and town stand where the country puts them",
        arguments: [
            ("RU", "Город, Улица, 5к2"), ("BY", "Город, Улица, 5к2"), ("KZ", "Город, Улица, 5к2"),
            ("UA", "Город, Улица, 5к2"), ("DE", "Улица 5к2, 123 Город"), ("FR", "5к2 Улица, 123 Город"),
            ("GB", "5к2 Улица, Город 123"), ("US", "5к2 Улица, Город 123"), ("ES", "Улица, 5к2, 123 Город"),
            ("IT", "Улица, 5к2, 123 Город"), ("PL", "Улица 5к2, 123 Город"), ("FI", "Улица 5к2, 123 Город"),
            ("SE", "Улица 5к2, 123 Город"), ("BR", "Улица, 5к2, Город 123"), ("JP", "Город, Улица 5к2"),
            ("LI", "Улица 5к2, 123 Город"), ("MC", "5к2 Улица, 123 Город"), ("HU", "Улица 5к2., 123 Город"),
            ("XX", "Улица 5к2, 123 Город"),
        ]
    )
    func order(code: String, line: String) {
        var answer = GazetteerAnswer(
            level: .house,
            distance: 0,
            bearing: 0,
            point: Coordinate(latitudeE7: 0, longitudeE7: 0),
            attribution: ""
        )
        (answer.house, answer.street, answer.town) = ("5 к2", "Улица", "Город")
        (answer.postcode, answer.countryCode) = ("123", code)
        #expect(AddressLine.line(answer) == line)
    }

    @Test(
        "A number loses its spaces in the line, and nothing else",
        arguments: [
            ("12 с3", "12с3"), ("5 к 2", "5к2"), ("7/9", "7/9"), ("15 - 17", "15-17"), ("2, 2. krs", "2,2. krs"),
            ("12 A", "12 A"), ("1-5", "1-5"), ("10", "10"),
        ]
    )
    func numbers(stored: String, shown: String) {
        #expect(AddressLine.normalized(stored) == shown)
    }
}
