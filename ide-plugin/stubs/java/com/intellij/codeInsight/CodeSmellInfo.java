package com.intellij.codeInsight;

public final class CodeSmellInfo {
    public java.lang.String getDescription() { throw new AssertionError(); }
    public com.intellij.lang.annotation.HighlightSeverity getSeverity() { throw new AssertionError(); }
    public com.intellij.openapi.util.TextRange getTextRange() { throw new AssertionError(); }
    protected CodeSmellInfo() { throw new AssertionError(); }
}
