#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#endif

exit(await Odograph.run(Array(CommandLine.arguments.dropFirst())).rawValue)
