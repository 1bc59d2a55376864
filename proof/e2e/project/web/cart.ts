export interface Line {
  name: string;
  cents: number;
}

export function sum(lines: Line[]): number {
  return lines.reduce((total, line) => total + line.cents, 0);
}
