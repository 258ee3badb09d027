@echo off
rem The command "fdt" on Windows; fdt.jar is beside this file. FDT_JAVA_OPTIONS: more options for the JVM, for example -Xmx4g.
rem Java 24 and later warn of methods that libraries use.
rem Without arguments it shows the help; "java -jar fdt.jar" alone is a server, as FDT's users know it.
setlocal DisableDelayedExpansion
if "%~1"=="" goto help
java %FDT_JAVA_OPTIONS% -Dsun.misc.unsafe.memory.access=allow -Dfdt.command=fdt -jar "%~dp0fdt.jar" %*
exit /b %ERRORLEVEL%
:help
java %FDT_JAVA_OPTIONS% -Dsun.misc.unsafe.memory.access=allow -Dfdt.command=fdt -jar "%~dp0fdt.jar" --help
