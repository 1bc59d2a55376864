package com.intellij.openapi.startup;

public interface ProjectActivity {
    java.lang.Object execute(com.intellij.openapi.project.Project a, kotlin.coroutines.Continuation<? super kotlin.Unit> b);
}
