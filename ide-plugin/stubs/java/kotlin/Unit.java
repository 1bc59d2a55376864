package kotlin;

public final class Unit {
    public static final kotlin.Unit INSTANCE = null;
    protected Unit() { throw new AssertionError(); }
}
