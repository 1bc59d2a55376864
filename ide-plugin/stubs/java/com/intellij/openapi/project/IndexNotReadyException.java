package com.intellij.openapi.project;

public final class IndexNotReadyException extends java.lang.RuntimeException {
    protected IndexNotReadyException() { throw new AssertionError(); }
}
