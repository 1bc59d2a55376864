package com.intellij.openapi.vfs.newvfs.events;

public abstract class VFileEvent {
    public java.lang.String getPath() { throw new AssertionError(); }
    protected VFileEvent() { throw new AssertionError(); }
}
