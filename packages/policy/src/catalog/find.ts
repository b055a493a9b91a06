/** find's tests and actions that are allowed. `-exec` and similar actions are unwrapped; all others aren't safe. */
export const FIND_PLAIN: readonly string[] =
  `! ( ) , -a -and -o -or -not -true -false -empty -depth -d -mount -xdev -daystart -noleaf -follow -ls -nouser -nogroup -readable
  -writable -executable -print -print0 -prune -quit -ignore_readdir_race -noignore_readdir_race -warn -nowarn`.split(
    /\s+/,
  );

export const FIND_VALUE: readonly string[] =
  `-name -iname -path -ipath -wholename -iwholename -regex -iregex -regextype -lname -ilname -type -xtype -size -mtime -mmin -atime -amin
  -ctime -cmin -used -maxdepth -mindepth -perm -user -group -uid -gid -links -inum -fstype -printf -newermt -context`.split(
    /\s+/,
  );

/** Tests whose value is a file that is compared by its dates. */
export const FIND_FILE: readonly string[] = ["-newer", "-anewer", "-cnewer", "-samefile"];

export const FIND_EXEC: readonly string[] = ["-exec", "-execdir", "-ok", "-okdir"];

/** Options that follow links, which may lead out of the workspace. */
export const FIND_FOLLOWS: readonly string[] = ["-L", "-H", "-follow"];
