import{a,b,c}from"./chunk-NDBWLBK5.js";import"./chunk-JRFONK42.js";import"./chunk-7STYCTH4.js";import"./chunk-ZSVQMGKL.js";c();export{a as ClassTabs,b as default};
