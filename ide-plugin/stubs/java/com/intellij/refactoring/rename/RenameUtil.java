package com.intellij.refactoring.rename;

public class RenameUtil {
    public static com.intellij.usageView.UsageInfo[] findUsages(com.intellij.psi.PsiElement a, java.lang.String b, boolean c, boolean d, java.util.Map<? extends com.intellij.psi.PsiElement, java.lang.String> e) { throw new AssertionError(); }
    public static boolean isValidName(com.intellij.openapi.project.Project a, com.intellij.psi.PsiElement b, java.lang.String c) { throw new AssertionError(); }
    protected RenameUtil() { throw new AssertionError(); }
}
