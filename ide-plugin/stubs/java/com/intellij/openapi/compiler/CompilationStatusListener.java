package com.intellij.openapi.compiler;

public interface CompilationStatusListener extends java.util.EventListener {
    default void compilationFinished(boolean a, int b, int c, com.intellij.openapi.compiler.CompileContext d) { throw new AssertionError(); }
}
