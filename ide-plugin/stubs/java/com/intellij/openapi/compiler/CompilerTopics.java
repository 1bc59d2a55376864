package com.intellij.openapi.compiler;

public class CompilerTopics {
    public static final com.intellij.util.messages.Topic<com.intellij.openapi.compiler.CompilationStatusListener> COMPILATION_STATUS = null;
    protected CompilerTopics() { throw new AssertionError(); }
}
