package com.intellij.usages;

public class UsageViewPresentation {
    public UsageViewPresentation() { throw new AssertionError(); }
}
