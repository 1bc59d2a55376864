package dev.ideindex.plugin.psi;

import com.intellij.openapi.progress.EmptyProgressIndicator;
import com.intellij.openapi.progress.ProcessCanceledException;
import com.intellij.openapi.progress.ProgressIndicator;
import com.intellij.openapi.project.IndexNotReadyException;
import dev.ideindex.plugin.platform.Platform;
import dev.ideindex.plugin.spi.Arguments;
import dev.ideindex.plugin.spi.Host;
import dev.ideindex.plugin.spi.HostException;
import dev.ideindex.plugin.spi.Json;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CancellationException;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutionException;

/**
 * Answers the operations of {@code HOST.md} from the code model of the IDE.
 *
 * <p>An operation that this IDE cannot carry out, because a class or a member is not there, is {@code unsupported} from then on,
 * and the capabilities do not name it any more.
 */
public final class PsiHost implements Host {
    private static final int MAX_EARLY_CANCELS = 1024;
    private static final int MAX_CAUSES = 8;

    private final Platform platform;
    private final Map<String, Operation> operations = new LinkedHashMap<>();
    private final Map<String, String> withdrawn = new ConcurrentHashMap<>();
    private final Map<Long, ProgressIndicator> running = new ConcurrentHashMap<>();
    private final Set<Long> early = Collections.synchronizedSet(new LinkedHashSet<>());

    /** @param listener hears what a person does with diffs */
    public PsiHost(Platform platform, DiffListener listener) {
        this.platform = platform;
        Capabilities capabilities = new Capabilities(this);
        Diffs diffs = new Diffs(listener);
        Comments comments = new Comments();
        operations.put("capabilities", capabilities::run);
        operations.put("selfcheck", capabilities::selfCheck);
        operations.put("projects.list", Projects::list);
        operations.put("index.status", Projects::status);
        operations.put("places", Relations::run);
        operations.put("calls", Calls::run);
        operations.put("search", Search::run);
        operations.put("text", TextSearch::run);
        operations.put("outline", Outline::run);
        operations.put("describe", Descriptions::describe);
        operations.put("type", Descriptions::type);
        operations.put("diagnostics", Diagnostics::run);
        operations.put("complete", Completion::run);
        operations.put("rename", Rename::run);
        operations.put("format", Copies::format);
        operations.put("imports", Copies::imports);
        operations.put("edit.apply", Edits::apply);
        operations.put("edit.undo", Edits::undo);
        operations.put("edit.redo", Edits::redo);
        operations.put("editor.open", Editors::open);
        operations.put("editor.state", Editors::state);
        operations.put("editor.save", Editors::save);
        operations.put("editor.close", Editors::close);
        operations.put("diff.open", diffs::open);
        operations.put("diff.close", diffs::close);
        operations.put("comment.add", comments::add);
        operations.put("comment.remove", comments::remove);
        operations.put("library.read", Disk::library);
        operations.put("sync", Disk::sync);
    }

    /** The operations that this IDE carries out. */
    List<String> operations() {
        return operations.keySet().stream().filter(op -> !withdrawn.containsKey(op)).toList();
    }

    /** From now on the operation is unsupported. */
    void withdraw(String op, String because) {
        withdrawn.putIfAbsent(op, because);
    }

    @Override
    public byte[] call(long callId, String op, byte[] arguments) throws HostException {
        ProgressIndicator indicator = new EmptyProgressIndicator();
        running.put(callId, indicator);
        if (early.remove(callId)) {
            indicator.cancel();
        }
        Thread thread = Thread.currentThread();
        ClassLoader before = thread.getContextClassLoader();
        thread.setContextClassLoader(PsiHost.class.getClassLoader());
        try {
            return Json.bytes(run(op, new Call(platform, Arguments.parse(arguments), indicator)));
        } catch (Throwable failure) {
            throw understood(op, failure, indicator);
        } finally {
            thread.setContextClassLoader(before);
            running.remove(callId);
        }
    }

    private Map<String, Object> run(String op, Call call) throws Exception {
        Operation operation = operations.get(op);
        if (operation == null) {
            throw new HostException(HostException.UNSUPPORTED, "there is no operation `" + op + "`");
        }
        if (withdrawn.containsKey(op)) {
            throw new HostException(HostException.UNSUPPORTED, withdrawn.get(op));
        }
        call.indicator().checkCanceled();
        return operation.run(call);
    }

    @Override
    public void cancel(long callId) {
        ProgressIndicator indicator = running.get(callId);
        if (indicator != null) {
            indicator.cancel();
            return;
        }
        synchronized (early) {
            early.add(callId);
            if (early.size() > MAX_EARLY_CANCELS) {
                early.remove(early.iterator().next());
            }
        }
        ProgressIndicator late = running.get(callId);
        if (late != null) {
            late.cancel();
        }
    }

    private HostException understood(String op, Throwable failure, ProgressIndicator indicator) {
        Throwable cause = failure;
        for (int i = 0; i < MAX_CAUSES && cause != null; i++) {
            if (cause instanceof HostException known) {
                return known;
            }
            if (cause instanceof ProcessCanceledException || cause instanceof CancellationException) {
                return indicator.isCanceled()
                        ? new HostException(HostException.CANCELLED, "the call was cancelled", failure)
                        : new HostException(HostException.STALE, "the IDE gave up: the code changed meanwhile", failure);
            }
            if (cause instanceof IndexNotReadyException) {
                return new HostException(HostException.INDEX_NOT_READY, "the IDE is indexing", failure);
            }
            if (cause instanceof LinkageError) {
                withdraw(op, "this IDE lacks what `" + op + "` needs: " + cause);
                return new HostException(HostException.UNSUPPORTED, withdrawn.get(op), failure);
            }
            boolean wraps = cause instanceof RuntimeException || cause instanceof ExecutionException;
            cause = wraps ? cause.getCause() : null;
        }
        if (failure instanceof InterruptedException) {
            Thread.currentThread().interrupt();
            return new HostException(HostException.CANCELLED, "the thread was interrupted", failure);
        }
        return new HostException(HostException.INTERNAL, failure.toString(), failure);
    }
}
