package shop;

enum Mode {
    ON {
        @Override
        boolean runs() {
            return true;
        }
    },
    OFF;

    boolean runs() {
        return false;
    }
    Mode next = ON;
}
