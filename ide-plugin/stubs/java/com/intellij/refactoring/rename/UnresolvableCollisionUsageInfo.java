package com.intellij.refactoring.rename;

public abstract class UnresolvableCollisionUsageInfo extends com.intellij.refactoring.util.MoveRenameUsageInfo {
    public abstract java.lang.String getDescription();
    protected UnresolvableCollisionUsageInfo() { throw new AssertionError(); }
}
