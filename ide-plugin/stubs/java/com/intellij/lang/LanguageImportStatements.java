package com.intellij.lang;

public class LanguageImportStatements extends com.intellij.lang.LanguageExtension<com.intellij.lang.ImportOptimizer> {
    public static final com.intellij.lang.LanguageImportStatements INSTANCE = null;
    public java.util.Set<com.intellij.lang.ImportOptimizer> forFile(com.intellij.psi.PsiFile a) { throw new AssertionError(); }
    protected LanguageImportStatements() { throw new AssertionError(); }
}
