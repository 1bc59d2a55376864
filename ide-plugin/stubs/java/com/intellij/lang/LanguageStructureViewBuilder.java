package com.intellij.lang;

public class LanguageStructureViewBuilder extends com.intellij.lang.LanguageExtension<com.intellij.lang.PsiStructureViewFactory> {
    public static final com.intellij.lang.LanguageStructureViewBuilder INSTANCE = null;
    public com.intellij.ide.structureView.StructureViewBuilder getStructureViewBuilder(com.intellij.psi.PsiFile a) { throw new AssertionError(); }
    protected LanguageStructureViewBuilder() { throw new AssertionError(); }
}
