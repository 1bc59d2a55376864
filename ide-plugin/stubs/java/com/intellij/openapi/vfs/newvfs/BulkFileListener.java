package com.intellij.openapi.vfs.newvfs;

public interface BulkFileListener {
    default void after(java.util.List<? extends com.intellij.openapi.vfs.newvfs.events.VFileEvent> a) { throw new AssertionError(); }
}
