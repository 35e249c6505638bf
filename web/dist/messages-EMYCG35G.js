import{a,b,c}from"./chunk-TSBRTWHI.js";import"./chunk-WRJ6R7OA.js";c();export{a as default,b as useLate};
