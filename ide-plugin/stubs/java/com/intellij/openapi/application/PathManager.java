package com.intellij.openapi.application;

public final class PathManager {
    public static java.lang.String getConfigPath() { throw new AssertionError(); }
    public static java.lang.String getSystemPath() { throw new AssertionError(); }
    protected PathManager() { throw new AssertionError(); }
}
