import Telemetry
import TripDetection
import TripStore

/// A trip whose texts a test chooses.
func sampleTrip(
    vehicle: String = "Van 7",
    device: DeviceID? = DeviceID("356938035643809"),
    begin: Timestamp = Timestamp(milliseconds: 1_774_746_000_500),
    beginAddress: AddressState = .pending,
    endAddress: AddressState = .nothing
) -> TripRecord {
    let trip = Trip(
        begin: begin,
        end: begin + 1_194_500,
        beginPoint: Coordinate(latitudeE7: -338_600_000, longitudeE7: 1_512_094_431),
        endPoint: Coordinate(latitudeE7: -5, longitudeE7: -1_799_999_999),
        beginReason: .firstData,
        endReason: .lastData,
        positionDistance: 13_600_012,
        odometerDistance: nil,
        distanceSource: .positions,
        moving: 1_100_000,
        idle: nil,
        highestSpeed: 1389,
        positionCount: 1194,
        largestHole: 1000,
        flags: [.signalLost],
        isFinal: false
    )
    guard let id = TripID("k3v9"), let device else { preconditionFailure("the sample is valid") }
    return TripRecord(
        id: id,
        device: device,
        vehicle: vehicle,
        trip: trip,
        revision: 2,
        change: 17,
        isRemoved: false,
        beginAddress: beginAddress,
        endAddress: endAddress
    )
}

func sampleAddress(_ line: String) -> Address {
    Address(level: .place, line: line, language: "en", provider: "offline", resolvedTime: Timestamp(milliseconds: 0))
}

extension Array<UInt8> {
    var text: String { String(decoding: self, as: UTF8.self) }
}
