import{a,b,c}from"./chunk-HS55Q7EV.js";import"./chunk-YQY62YWT.js";import"./chunk-IQE5KZHK.js";import"./chunk-2WWN6WQ5.js";c();export{a as ClassTabs,b as default};
