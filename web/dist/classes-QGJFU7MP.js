import{a,b,c}from"./chunk-QLDAQLHI.js";import"./chunk-ATN5YYTP.js";import"./chunk-F34P6T3L.js";import"./chunk-WTA7P345.js";c();export{a as ClassTabs,b as default};
