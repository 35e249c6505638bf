import{a,b,c}from"./chunk-UH7JMFJJ.js";import"./chunk-PIKQOPDU.js";import"./chunk-3VPEBD7T.js";import"./chunk-U3GKYPL2.js";c();export{a as ClassTabs,b as default};
