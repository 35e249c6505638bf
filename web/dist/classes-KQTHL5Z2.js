import{a,b,c}from"./chunk-H74RS2PN.js";import"./chunk-K5JORFNX.js";import"./chunk-A7WYIRLL.js";import"./chunk-GOKVTJ5P.js";c();export{a as ClassTabs,b as default};
