package com.intellij.lang;

public class LanguageDocumentation extends com.intellij.lang.LanguageExtension<com.intellij.lang.documentation.DocumentationProvider> {
    public static final com.intellij.lang.LanguageDocumentation INSTANCE = null;
    public com.intellij.lang.documentation.DocumentationProvider forLanguage(com.intellij.lang.Language a) { throw new AssertionError(); }
    protected LanguageDocumentation() { throw new AssertionError(); }
}
