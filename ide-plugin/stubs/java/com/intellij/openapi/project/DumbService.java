package com.intellij.openapi.project;

public abstract class DumbService {
    public static final com.intellij.util.messages.Topic<com.intellij.openapi.project.DumbService.DumbModeListener> DUMB_MODE = null;
    public static final boolean isDumb(com.intellij.openapi.project.Project a) { throw new AssertionError(); }
    protected DumbService() { throw new AssertionError(); }

    public interface DumbModeListener {
        default void enteredDumbMode() { throw new AssertionError(); }
        default void exitDumbMode() { throw new AssertionError(); }
    }
}
