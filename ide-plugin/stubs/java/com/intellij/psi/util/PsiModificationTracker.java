package com.intellij.psi.util;

public interface PsiModificationTracker {
    long getModificationCount();

    public static final class SERVICE {
        public static com.intellij.psi.util.PsiModificationTracker getInstance(com.intellij.openapi.project.Project a) { throw new AssertionError(); }
        protected SERVICE() { throw new AssertionError(); }
    }
}
