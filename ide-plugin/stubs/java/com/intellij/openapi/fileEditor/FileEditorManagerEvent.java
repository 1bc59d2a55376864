package com.intellij.openapi.fileEditor;

public final class FileEditorManagerEvent {
    protected FileEditorManagerEvent() { throw new AssertionError(); }
}
