package com.intellij.refactoring.util;

public class MoveRenameUsageInfo extends com.intellij.usageView.UsageInfo {
    public com.intellij.psi.PsiReference getReference() { throw new AssertionError(); }
    protected MoveRenameUsageInfo() { throw new AssertionError(); }
}
