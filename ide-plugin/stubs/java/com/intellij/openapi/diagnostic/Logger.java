package com.intellij.openapi.diagnostic;

public abstract class Logger {
    public void debug(java.lang.Throwable a) { throw new AssertionError(); }
    public static com.intellij.openapi.diagnostic.Logger getInstance(java.lang.Class<?> a) { throw new AssertionError(); }
    public abstract void info(java.lang.String a, java.lang.Throwable b);
    public void warn(java.lang.String a) { throw new AssertionError(); }
    public abstract void warn(java.lang.String a, java.lang.Throwable b);
    protected Logger() { throw new AssertionError(); }
}
