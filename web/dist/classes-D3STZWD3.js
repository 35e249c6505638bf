import{a,b,c}from"./chunk-RVG4YIMN.js";import"./chunk-4ZDHRYFU.js";import"./chunk-BUORYTUD.js";import"./chunk-LZA7HITR.js";c();export{a as ClassTabs,b as default};
