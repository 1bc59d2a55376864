package boot;

/** What a host does wrong, and calls that end early. */
final class Faults {
    private final Drive drive;

    Faults(Drive drive) {
        this.drive = drive;
    }

    String run() throws Exception {
        return "";
    }
}
