import{a,b,c}from"./chunk-XAOI32SF.js";import"./chunk-7AG2CDJ4.js";import"./chunk-TOLDHRQC.js";import"./chunk-WRJ6R7OA.js";c();export{a as ClassTabs,b as default};
