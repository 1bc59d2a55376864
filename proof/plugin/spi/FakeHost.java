package dev.ideindex.plugin.spi;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Paths;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CancellationException;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;

/**
 * A host that knows code by its words, writes files, and does in any operation what a test asks it to do.
 *
 * <p>What it says of code is less than what the index knows; a test sees by it whose answer arrived.
 */
final class FakeHost implements Host {
    private final List<String> projects;
    private final Map<String, String> behaviour = new ConcurrentHashMap<>();
    private final Set<Long> cancelled = ConcurrentHashMap.newKeySet();
    private final AtomicInteger running = new AtomicInteger();
    private final AtomicInteger most = new AtomicInteger();
    private final AtomicLong calls = new AtomicLong();
    private final AtomicLong cancels = new AtomicLong();
    private final Map<String, AtomicLong> perOp = new ConcurrentHashMap<>();

    FakeHost(List<String> projects) {
        this.projects = projects;
    }

    void behave(String op, String what) {
        if (what == null) {
            behaviour.remove(op);
        } else {
            behaviour.put(op, what);
        }
    }

    long figure(String name) {
        return switch (name) {
            case "calls" -> calls.get();
            case "cancels" -> cancels.get();
            case "running" -> running.get();
            case "most" -> most.get();
            default -> perOp.getOrDefault(name, new AtomicLong()).get();
        };
    }

    @Override
    public byte[] call(long callId, String op, byte[] arguments) throws HostException {
        calls.incrementAndGet();
        perOp.computeIfAbsent(op, key -> new AtomicLong()).incrementAndGet();
        most.accumulateAndGet(running.incrementAndGet(), Math::max);
        try {
            String what = behaviour.getOrDefault(op, behaviour.get("*"));
            if (what != null && !op.equals("projects.list")) {
                byte[] answer = behaved(callId, what);
                if (answer != PASS) {
                    return answer;
                }
            }
            Map<String, Object> answer = answered(op, Arguments.parse(arguments));
            return Json.bytes(answer);
        } finally {
            running.decrementAndGet();
        }
    }

    @Override
    public void cancel(long callId) {
        cancels.incrementAndGet();
        cancelled.add(callId);
    }

    private static final byte[] PASS = {};

    /** What a host that is unwell does in turn. */
    private static final String[] MIXED = {
        "pass", "throw runtime", "slow 20", "null", "pass", "throw overflow", "answer [", "late 60", "throw index_not_ready",
        "pass", "answer {}", "throw cancelled", "answer {\"places\":7,\"text\":[],\"edits\":\"x\"}", "throw process", "pass",
        "throw broken", "bytes", "throw no_symbol", "pass", "throw error", "slow 1", "throw memory", "answer null", "throw unsupported",
        "pass", "throw modal_dialog", "late 5", "throw silent", "answer ", "throw file_not_found", "pass",
    };

    private byte[] behaved(long callId, String what) throws HostException {
        String[] words = what.split(" ", 2);
        switch (words[0]) {
            case "throw":
                throw HostFaults.<RuntimeException>of(words[1]);
            case "null":
                return null;
            case "answer":
                return words[1].getBytes(StandardCharsets.UTF_8);
            case "slow":
                pause(Long.parseLong(words[1]));
                return PASS;
            case "sleep":
                while (!cancelled.contains(callId)) {
                    pause(2);
                }
                throw new CancellationException();
            case "late":
                long until = System.nanoTime() + Long.parseLong(words[1]) * 1_000_000;
                while (!cancelled.contains(callId) && System.nanoTime() < until) {
                    pause(2);
                }
                return PASS;
            case "mixed":
                return behaved(callId, MIXED[(int) (callId * 7 % MIXED.length)]);
            case "pass":
                return PASS;
            case "bytes":
                return new byte[] {(byte) 0xff, '{', 0, (byte) 0xc3};
            case "deaf":
                pause(Long.parseLong(words[1]));
                throw new HostException(HostException.INTERNAL, "slept on");
            default:
                throw new HostException(HostException.INTERNAL, "no such behaviour: " + what);
        }
    }

    private static void pause(long millis) {
        try {
            Thread.sleep(millis);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    private Map<String, Object> answered(String op, Arguments arguments) throws HostException {
        try {
            return switch (op) {
                case "capabilities" -> Map.of("product", "Fake IDE", "version", "1", "build", "IU-1",
                        "languages", List.of("java", "kotlin", "python", "typescript", "javascript", "go", "php", "rust"),
                        "ops", List.of("capabilities", "projects.list", "index.status", "places", "search", "describe",
                                "edit.apply", "edit.undo", "edit.redo", "format", "imports", "diagnostics", "rename", "calls",
                                "fixes", "sync"));
                case "projects.list" -> Map.of("projects", projects.stream()
                        .map(path -> Map.of("name", Paths.get(path).getFileName().toString(), "path", path,
                                "roots", List.of(path), "dumb", false))
                        .toList());
                case "index.status" -> Map.of("dumb", false, "modificationCount", 1);
                case "places" -> FakeCode.places(arguments);
                case "calls" -> FakeCode.calls(arguments);
                case "search" -> FakeCode.search(arguments);
                case "describe" -> FakeCode.describe(arguments);
                case "diagnostics" -> FakeCode.diagnostics(arguments);
                case "fixes" -> FakeCode.fixes(arguments);
                case "rename" -> FakeCode.rename(arguments);
                case "format" -> FakeCode.format(arguments);
                case "imports" -> FakeCode.imports(arguments);
                case "edit.apply" -> FakeEdits.apply(arguments);
                case "edit.undo", "edit.redo" -> throw new HostException(HostException.CONFLICT, "another step is newer");
                case "sync" -> Map.of();
                default -> throw new HostException(HostException.UNSUPPORTED, op + " is not for a fake");
            };
        } catch (IOException e) {
            throw new HostException(HostException.INTERNAL, String.valueOf(e.getMessage()), e);
        }
    }
}
