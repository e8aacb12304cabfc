# Run by cpack when the tree of the package is there: Debian has manuals and changelogs compressed. -n
# leaves out the time and the name, so that the bytes are the same for every build.
set(tree ${CPACK_TEMPORARY_DIRECTORY}${CPACK_PACKAGING_INSTALL_PREFIX})
file(COPY_FILE ${CPACK_DETCHECK_CHANGELOG} ${tree}/share/doc/detcheck/changelog)
file(GLOB pages ${tree}/share/man/man*/*.[137])
execute_process(COMMAND gzip -9nf ${pages} ${tree}/share/doc/detcheck/changelog
                COMMAND_ERROR_IS_FATAL ANY)
