package com.intellij.util;

public interface Query<Result> {
    boolean forEach(com.intellij.util.Processor<? super Result> a);
}
