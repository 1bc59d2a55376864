package com.intellij.lang;

public class LanguageExpressionTypes extends com.intellij.lang.LanguageExtension<com.intellij.lang.ExpressionTypeProvider> {
    public static final com.intellij.lang.LanguageExpressionTypes INSTANCE = null;
    protected LanguageExpressionTypes() { throw new AssertionError(); }
}
