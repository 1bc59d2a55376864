package com.intellij.util.messages;

public class Topic<L> {
    protected Topic() { throw new AssertionError(); }
}
