<?php
// Prints every class, interface, trait, enum, function and constant name in code that nothing declares.
// Usage: php names.php <directory>; names are resolved by the namespace and imports of their file.

const WORDS = ['self', 'static', 'parent', 'int', 'float', 'string', 'bool', 'array', 'callable', 'iterable', 'object',
    'mixed', 'void', 'null', 'never', 'false', 'true'];
const NAMES = [T_STRING, T_NAME_QUALIFIED, T_NAME_FULLY_QUALIFIED, T_NAME_RELATIVE];

$files = [];
foreach (new RecursiveIteratorIterator(new RecursiveDirectoryIterator($argv[1], FilesystemIterator::SKIP_DOTS)) as $file) {
    if ($file->getExtension() === 'php') {
        $files[] = $file->getPathname();
    }
}
sort($files);
$declared = [];
$used = [];
foreach ($files as $path) {
    read_file($path, $declared, $used);
}
foreach ($used as [$path, $line, $kind, $name]) {
    $key = strtolower($name);
    $known = match ($kind) {
        'function' => function_exists($name) || isset($declared["function $key"])
            || !str_contains($name, '\\') || function_exists(last($name)),
        default => isset($declared["class $key"]) || class_exists($name, false) || interface_exists($name, false)
            || trait_exists($name, false) || enum_exists($name, false),
    };
    if (!$known) {
        echo "$path:$line: unknown $kind $name\n";
    }
}

function last(string $name): string
{
    return substr(strrchr('\\' . $name, '\\'), 1);
}

function read_file(string $path, array &$declared, array &$used): void
{
    $tokens = array_values(array_filter(
        PhpToken::tokenize(file_get_contents($path), TOKEN_PARSE),
        fn ($token) => !$token->isIgnorable(),
    ));
    $namespace = '';
    $imports = ['class' => [], 'function' => []];
    $depth = 0;
    for ($i = 0; $i < count($tokens); $i++) {
        $token = $tokens[$i];
        $next = $tokens[$i + 1] ?? null;
        $before = $tokens[$i - 1] ?? null;
        if ($token->text === '{' || $token->is([T_CURLY_OPEN, T_DOLLAR_OPEN_CURLY_BRACES])) {
            $depth++;
        } elseif ($token->text === '}') {
            $depth--;
        } elseif ($token->is(T_NAMESPACE) && $next->is(NAMES)) {
            $namespace = $next->text;
            $imports = ['class' => [], 'function' => []];
            $i++;
        } elseif ($token->is(T_USE) && $depth === 0 && $next->text !== '(') {
            $i = read_use($tokens, $i + 1, $imports, $path, $used);
        } elseif ($token->is([T_CLASS, T_INTERFACE, T_TRAIT, T_ENUM]) && $next?->is(T_STRING) && !$before?->is(T_DOUBLE_COLON)) {
            $declared['class ' . strtolower(ltrim("$namespace\\$next->text", '\\'))] = true;
            $i++;
        } elseif ($token->is(T_FUNCTION) && $depth === 0 && $next->is(T_STRING)) {
            $declared['function ' . strtolower(ltrim("$namespace\\$next->text", '\\'))] = true;
            $i++;
        } elseif ($token->is(NAMES) && is_use($token, $before, $next)) {
            $kind = $next->text === '(' && !$before->is(T_NEW) && !$before->is(T_ATTRIBUTE) ? 'function' : 'class';
            $used[] = [$path, $token->line, $kind, resolve($token->text, $kind, $namespace, $imports)];
        }
    }
}

function is_use(PhpToken $token, ?PhpToken $before, ?PhpToken $next): bool
{
    if (in_array(strtolower($token->text), WORDS, true)) {
        return false;
    }
    if ($before?->is([T_OBJECT_OPERATOR, T_NULLSAFE_OBJECT_OPERATOR, T_DOUBLE_COLON, T_FUNCTION, T_CONST, T_CASE, T_GOTO, T_AS, T_INSTEADOF])) {
        return false;
    }
    if (!$token->is(T_STRING)) {
        return true;
    }
    return $before?->is([T_NEW, T_EXTENDS, T_IMPLEMENTS, T_INSTANCEOF, T_ATTRIBUTE]) || $next?->is([T_DOUBLE_COLON, T_VARIABLE, T_ELLIPSIS])
        || $next?->text === '(' && $before?->text !== '&' || in_array($before?->text, ['?', '|'], true) && $next?->is(T_VARIABLE);
}

function read_use(array $tokens, int $i, array &$imports, string $path, array &$used): int
{
    $kind = 'class';
    $prefix = '';
    $name = '';
    $alias = null;
    $line = $tokens[$i]->line;
    for (;; $i++) {
        $token = $tokens[$i];
        if ($token->is(T_FUNCTION)) {
            $kind = 'function';
        } elseif ($token->is(T_CONST)) {
            $kind = 'const';
        } elseif ($token->is(T_AS)) {
            $alias = $tokens[++$i]->text;
        } elseif ($token->is(NAMES)) {
            $name = ltrim($token->text, '\\');
        } elseif ($token->text === '{') {
            $prefix = "$name\\";
            $name = '';
        } elseif (in_array($token->text, [',', ';', '}'], true)) {
            if ($name !== '') {
                $full = $prefix . $name;
                $imports[$kind][strtolower($alias ?? last($full))] = $full;
                if ($kind !== 'const') {
                    $used[] = [$path, $line, $kind === 'class' ? 'import' : $kind, $full];
                }
            }
            $name = '';
            $alias = null;
            if ($token->text === ';') {
                return $i;
            }
        }
    }
}

function resolve(string $name, string $kind, string $namespace, array $imports): string
{
    if ($name[0] === '\\') {
        return substr($name, 1);
    }
    if (str_starts_with(strtolower($name), 'namespace\\')) {
        return ltrim($namespace . substr($name, 9), '\\');
    }
    $parts = explode('\\', $name, 2);
    $table = isset($parts[1]) ? $imports['class'] : $imports[$kind];
    $found = $table[strtolower($parts[0])] ?? null;
    if ($found !== null) {
        return isset($parts[1]) ? "$found\\$parts[1]" : $found;
    }
    return ltrim("$namespace\\$name", '\\');
}
