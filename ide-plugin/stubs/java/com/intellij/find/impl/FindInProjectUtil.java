package com.intellij.find.impl;

public class FindInProjectUtil {
    public static void findUsages(com.intellij.find.FindModel a, com.intellij.openapi.project.Project b, com.intellij.util.Processor<? super com.intellij.usageView.UsageInfo> c, com.intellij.usages.FindUsagesProcessPresentation d) { throw new AssertionError(); }
    protected FindInProjectUtil() { throw new AssertionError(); }
}
