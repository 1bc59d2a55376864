package com.intellij.psi.codeStyle;

public abstract class CodeStyleManager {
    public static com.intellij.psi.codeStyle.CodeStyleManager getInstance(com.intellij.openapi.project.Project a) { throw new AssertionError(); }
    public abstract com.intellij.psi.PsiElement reformatRange(com.intellij.psi.PsiElement a, int b, int c) throws com.intellij.util.IncorrectOperationException;
    protected CodeStyleManager() { throw new AssertionError(); }
}
