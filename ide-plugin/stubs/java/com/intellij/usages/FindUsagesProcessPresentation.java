package com.intellij.usages;

public class FindUsagesProcessPresentation {
    public FindUsagesProcessPresentation(com.intellij.usages.UsageViewPresentation a) { throw new AssertionError(); }
}
