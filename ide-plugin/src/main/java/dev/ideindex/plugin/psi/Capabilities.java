package dev.ideindex.plugin.psi;

import com.intellij.openapi.application.ApplicationInfo;
import com.intellij.openapi.application.ApplicationNamesInfo;
import dev.ideindex.plugin.lang.Languages;
import dev.ideindex.plugin.spi.Json;
import dev.ideindex.plugin.spi.SelfCheck;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;

/** The operations {@code capabilities} and {@code selfcheck}. */
final class Capabilities {
    private static final String PACKAGE = "dev/ideindex/plugin/";
    private static final String HOST = PACKAGE + "psi/PsiHost";

    /** The class behind each operation that may be withdrawn. */
    private static final Map<String, String> CLASSES = new LinkedHashMap<>();

    static {
        String[] rows = {"places Relations", "calls Calls", "search Search", "text TextSearch", "outline Outline",
            "describe Descriptions", "type Descriptions", "diagnostics Diagnostics", "complete Completion", "rename Rename",
            "format Copies", "imports Copies", "edit.apply Edits", "edit.undo Edits", "edit.redo Edits", "editor.open Editors",
            "editor.state Editors", "editor.save Editors", "editor.close Editors", "diff.open Diffs", "diff.close Diffs",
            "comment.add Comments", "comment.remove Comments", "library.read Disk", "sync Disk"};
        for (String row : rows) {
            String[] words = row.split(" ");
            CLASSES.put(words[0], PACKAGE + "psi/" + words[1]);
        }
    }

    private final PsiHost host;
    private boolean checked;

    Capabilities(PsiHost host) {
        this.host = host;
    }

    Map<String, Object> run(Call call) {
        withdrawWhatCannotRun();
        ApplicationInfo application = ApplicationInfo.getInstance();
        return Json.object("product", ApplicationNamesInfo.getInstance().getFullProductName(), "version",
                application.getFullVersion(), "build", application.getBuild().asString(), "languages", Languages.known(), "ops",
                host.operations());
    }

    /** An operation one of whose members is missing is not offered: it would fail at some point of its work. */
    private synchronized void withdrawWhatCannotRun() {
        if (checked) {
            return;
        }
        checked = true;
        SelfCheck check = new SelfCheck(Capabilities.class.getClassLoader());
        for (Map.Entry<String, String> row : CLASSES.entrySet()) {
            for (SelfCheck.Finding finding : check.check(List.of(row.getValue()), beyond())) {
                if (!finding.ok()) {
                    host.withdraw(row.getKey(), "this IDE is not as expected: " + finding.member() + ": " + finding.because());
                }
            }
        }
    }

    /** What every operation shares is not what one of them needs. */
    private static Set<String> beyond() {
        return Set.of(HOST, PACKAGE + "psi/Call", PACKAGE + "platform/Modern");
    }

    Map<String, Object> selfCheck(Call call) {
        Set<String> roots = new LinkedHashSet<>(List.of(HOST, PACKAGE + "platform/Modern"));
        for (String support : Languages.supports().values()) {
            roots.add(support.replace('.', '/'));
        }
        List<Object> members = new ArrayList<>();
        SelfCheck check = new SelfCheck(Capabilities.class.getClassLoader());
        for (SelfCheck.Finding finding : check.check(new ArrayList<>(roots), Set.of())) {
            members.add(Json.object("member", finding.member(), "ok", finding.ok(), "because", finding.because()));
        }
        return Json.object("members", members);
    }
}
